import { pino, type DestinationStream, type Logger } from "pino"

export type { Logger } from "pino"

const INFO = pino.levels.values["info"]

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

/**
 * Writes an event whose members are a JSON object already. To go through the logger, which looks for credentials in
 * every member, would cost ten times as much as to make the text.
 */
export function writeLine(logger: Logger, event: string, text: string): void {
  if (!logger.isLevelEnabled("info")) return
  const stream = Reflect.get(logger, pino.symbols.streamSym) as DestinationStream
  stream.write(`{"level":${INFO},"time":${Date.now()},"event":"${event}",${text.slice(1)}\n`)
}
