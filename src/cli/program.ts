import { Command, CommanderError } from "commander"
import { VERSION } from "../runtime.ts"
import type { RegisterCommand } from "./command.ts"
import { loadCommands } from "./commands.ts"
import { type Terminal, processTerminal } from "./terminal.ts"
import { EXIT_CODES } from "./exit-codes.ts"
import { failureOf, showFailure } from "./failure.ts"

/**
 * Creates the program with its commands. It throws errors instead of ending the process.
 * @param isJson whether the error stream is reserved for JSON, so that no help is printed for a missing command.
 */
export function createProgram(
  terminal: Terminal,
  commands: readonly RegisterCommand[],
  isJson = false,
): Command {
  const program = new Command("tollgate")
    .description("A prepaid gateway to every AI model: one base URL, one API key, one bill.")
    .version(VERSION, "-V, --version", "show the version")
    .option("--config <FILE>", "path of the settings file (default: tollgate.yaml, if it exists)")
    .option("--data <DIR>", "folder of the database (default: ./data)")
    .option("--json", "print the result as JSON")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: terminal.writeOutput,
      writeErr: isJson ? () => {} : terminal.writeNotice,
      // All failures are printed in one place, whether commander or a command detects them.
      outputError: () => {},
      getOutHasColors: () => terminal.isOutputColored,
      getErrHasColors: () => terminal.isNoticeColored,
    })
    .showSuggestionAfterError()
    .exitOverride()
  for (const register of commands) register(program, terminal)
  return program
}

/**
 * Runs the command that the arguments name.
 * @param processArguments as in `process.argv`, with two words before the first argument.
 * @param commands Tollgate's commands if absent.
 * @returns the exit code.
 */
export function runCli(
  processArguments: readonly string[],
  terminal: Terminal = processTerminal(),
  commands?: readonly RegisterCommand[],
): Promise<number> {
  const given = processArguments.slice(2)
  // `npx tollgate` without arguments starts the gateway.
  const words = given.length === 0 ? ["serve"] : given
  // Determined before the arguments are parsed, because parsing may fail.
  const isJson = words.includes("--json")
  const run = async (): Promise<void> => {
    const known = commands ?? (await loadCommands(words))
    const program = createProgram(terminal, known, isJson)
    await program.parseAsync(words, { from: "user" })
  }
  return runCommand(run, terminal, isJson)
}

/**
 * Runs a command. If it fails, its failure is printed without a stack trace.
 * @returns the exit code.
 */
async function runCommand(
  action: () => void | Promise<void>,
  terminal: Terminal,
  isJson: boolean,
): Promise<number> {
  try {
    await action()
    return EXIT_CODES.ok
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      // Commander has printed the requested help or version.
      if (thrown.exitCode === 0) return EXIT_CODES.ok
      // Commander has printed the help, because no command was given.
      if (thrown.code === "commander.help" && !isJson) return EXIT_CODES.usage
    }
    showFailure(thrown, terminal, isJson)
    return failureOf(thrown).exitCode
  }
}
