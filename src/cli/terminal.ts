/** Where a command writes. Results go to the output; everything else is a notice. */
export interface Terminal {
  writeOutput(text: string): void
  writeNotice(text: string): void
  readonly isOutputColored: boolean
  readonly isNoticeColored: boolean
  /** Whether failures come with the place in the code that they come from. */
  readonly isDebugging: boolean
}

/** The terminal that the process was started in. */
export function processTerminal(): Terminal {
  const { env, stdout, stderr } = process
  // Whoever reads the output may stop early, as `head` does; that is no failure of the command.
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
  }
}
