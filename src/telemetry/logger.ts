import type { Logger as Pino } from "pino"

/** Where the log goes and how much of it. */
export interface LoggerSettings {
  readonly level: string
}

type Write = (fields: object, message: string) => void

/** The levels that the gateway writes at. */
export interface Logger {
  readonly info: Write
  readonly warn: Write
  readonly error: Write
}

/**
 * JSON lines on standard error. Written in the background: no request waits for the log. Credentials
 * have no way in: nothing that holds one is ever logged, and these names are masked all the same.
 */
export function createLogger(settings: LoggerSettings): Logger {
  // Loaded with its first line: most starts write none, and it is a twentieth of the time they take.
  let opened: Promise<Pino> | undefined
  const writer =
    (level: keyof Logger): Write =>
    (fields, message) => {
      opened ??= open(settings)
      void opened.then((pino) => pino[level](fields, message))
    }
  return { info: writer("info"), warn: writer("warn"), error: writer("error") }
}

async function open({ level }: LoggerSettings): Promise<Pino> {
  const { pino } = await import("pino")
  return pino(
    {
      level,
      base: null,
      redact: ["*.apiKey", "*.authorization", "*.secret", "headers"],
    },
    pino.destination({ dest: 2, sync: false }),
  )
}
