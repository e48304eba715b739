import { isatty } from "node:tty"

const STANDARD_INPUT = 0

/** The output streams of a command. Results go to standard output, and all other text is a notice. */
export interface Terminal {
  writeOutput(text: string): void
  writeNotice(text: string): void
  readonly isOutputColored: boolean
  readonly isNoticeColored: boolean
  /** Whether failures are printed with a stack trace. */
  readonly isDebugging: boolean
  /** Asks a yes/no question; undefined without an interactive terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined
}

export function processTerminal(): Terminal {
  const { env, stdout, stderr } = process
  // The reader of the output may stop early, like `head`. This is not a failure of the command.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error
  })
  const mayColor = (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb"
  return {
    writeOutput: (text) => void stdout.write(text),
    writeNotice: (text) => void stderr.write(text),
    isOutputColored: mayColor && stdout.isTTY,
    isNoticeColored: mayColor && stderr.isTTY,
    isDebugging: env["TOLLGATE_DEBUG"] === "1",
    // Checks the file descriptor, because accessing `process.stdin` would open the stream.
    confirm: isatty(STANDARD_INPUT) && stderr.isTTY ? confirmAtTerminal : undefined,
  }
}

async function confirmAtTerminal(question: string): Promise<boolean> {
  const { createInterface } = await import("node:readline/promises")
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `)).trim())
  } finally {
    asking.close()
  }
}
