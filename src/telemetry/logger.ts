import { pino, type DestinationStream, type Logger } from "pino"

export type { Logger } from "pino"

/** What may wait to be written: whoever reads the log may stop reading. Bytes. */
const MOST_WAITING = 16 * 1024 * 1024
/** How long lines are gathered, milliseconds, and how many characters: to write costs the less the fewer times it is done. */
const GATHERED_FOR = 100
const MOST_GATHERED = 256 * 1024
const ERROR = pino.levels.values["error"]
const INFO = pino.levels.values["info"]

/** Where the log goes, and its level. */
export interface LoggerSettings {
  readonly level: string
}

/** Standard error, written in the background. What does not fit is dropped, and reported when there is room again. */
function standardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: false, maxLength: MOST_WAITING })
  let dropped = 0
  stream.on("drop", (text: string) => (dropped += text.split("\n").length - 1))
  stream.on("drain", () => {
    if (dropped === 0) return
    const lines = dropped
    dropped = 0
    const words = "lines of the log were lost: whoever reads it is too slow"
    const facts = `"level":${ERROR},"time":${Date.now()},"event":"log_dropped","lines":${lines}`
    stream.write(`{${facts},"msg":"${words}"}\n`)
  })
  return stream
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
    standardError(),
  )
}

/**
 * Writes events whose members are a JSON object already. To go through the logger, which looks for credentials in every
 * member, would cost ten times as much as to make the text; and to begin a write costs as much again, so that lines wait
 * for each other for a moment.
 */
export function lineWriter(logger: Logger, event: string): (text: string) => void {
  if (!logger.isLevelEnabled("info")) return () => undefined
  const stream = Reflect.get(logger, pino.symbols.streamSym) as DestinationStream
  let gathered = ""
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    clearTimeout(timer)
    stream.write(gathered)
    gathered = ""
  }
  return (text) => {
    if (gathered === "") timer = setTimeout(flush, GATHERED_FOR)
    gathered += `{"level":${INFO},"time":${Date.now()},"event":"${event}",${text.slice(1)}\n`
    if (gathered.length > MOST_GATHERED) flush()
  }
}
