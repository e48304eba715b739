/**
 * Writes docs/reference/cli.md from the commands. `npm run pages` writes the file; a test checks that it is current.
 */
import { join } from "node:path"
import type { Argument, Command, Option } from "commander"
import { loadCommands } from "../src/cli/commands.ts"
import { createProgram } from "../src/cli/program.ts"
import type { Terminal } from "../src/cli/terminal.ts"
import { reflow } from "./reflow.ts"

export const CLI_PAGE = join(import.meta.dir, "../docs/reference/cli.md")

const HEAD = `# Commands

<!-- Written by scripts/cli-page.ts from the commands in the code. Do not edit. -->

In a clone, run \`npx tollgate COMMAND\`. Without a command, \`tollgate\` starts the gateway. Commands work while the gateway runs, and the gateway applies their changes within a second.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | failure |
| 2 | invalid command line |
| 3 | invalid settings |
| 4 | not found |
| 5 | already exists |
| 6 | \`tollgate doctor\` found problems |

\`TOLLGATE_DEBUG=1\` prints the stack of an unexpected error.

## Options of every command

`

/** Returns the text of the page. */
export async function cliPage(): Promise<string> {
  const program = createProgram(silentTerminal(), await loadCommands([]))
  const sections = program.commands
    .filter((command) => command.name() !== "help")
    .flatMap((command) => sectionsOf(command, "tollgate", "##"))
  return reflow(`${HEAD}${optionsTable(program.options)}\n${sections.join("\n")}`)
}

function sectionsOf(command: Command, parent: string, heading: string): string[] {
  const name = `${parent} ${command.name()}`
  const args = command.registeredArguments.map(argumentWord).join(" ")
  const options = command.options.length === 0 ? "" : " [options]"
  const isGroup = command.commands.length > 0
  const usage = isGroup
    ? ""
    : `\n\`\`\`sh\n${[`${name}${options}`, args].filter(Boolean).join(" ")}\n\`\`\`\n`
  const tables = isGroup
    ? ""
    : [argumentsTable(command.registeredArguments), optionsTable(command.options)]
        .filter((table) => table !== "")
        .map((table) => `\n${table}`)
        .join("")
  const text = `${heading} ${name}\n\n${sentence(command.description())}\n${usage}${tables}`
  return [text, ...command.commands.flatMap((child) => sectionsOf(child, name, "###"))]
}

function argumentWord(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name()
  return argument.required ? name : `[${name}]`
}

function argumentsTable(all: readonly Argument[]): string {
  const described = all.filter(({ description }) => description !== "")
  return table(
    ["argument", ""],
    described.map((one) => [`\`${one.name()}\``, one.description]),
  )
}

function optionsTable(options: readonly Option[]): string {
  return table(
    ["option", ""],
    options.map((option) => [
      `\`${option.flags}\``,
      option.mandatory ? `${option.description} (required)` : option.description,
    ]),
  )
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ""
  const lines = [head, head.map(() => "---"), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`,
  )
  return `${lines.join("\n")}\n`
}

/** Returns a description that starts with a capital letter and ends with a full stop. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

function silentTerminal(): Terminal {
  return {
    isOutputColored: false,
    isNoticeColored: false,
    writeOutput: () => {},
    writeNotice: () => {},
    isDebugging: false,
    confirm: undefined,
  }
}

if (import.meta.main) await Bun.write(CLI_PAGE, await cliPage())
