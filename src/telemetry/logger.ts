import { pino, type Logger } from "pino"

export type { Logger } from "pino"

/** Where the log goes, and its level. */
export interface LoggerSettings {
  readonly level: string
}

/**
 * JSON lines on standard error. Written in the background: no request waits for the log. Nothing that holds a
 * credential is ever logged, and these names are masked all the same.
 */
export function createLogger(settings: LoggerSettings): Logger {
  return pino(
    {
      level: settings.level,
      base: null,
      redact: ["*.apiKey", "*.authorization", "*.secret", "headers"],
    },
    pino.destination({ dest: 2, sync: false }),
  )
}
