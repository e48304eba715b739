import { pino, type DestinationStream, type Logger } from "pino"

export type { Logger } from "pino"

/** Maximum bytes queued for writing. The limit is needed because the reader of the log may stop reading. */
const MAX_QUEUED_BYTES = 16 * 1024 * 1024
/**
 * Maximum time for which lines are collected, and the number of characters at which they are written earlier. Writing
 * in batches is necessary because each write is expensive.
 */
const FLUSH_INTERVAL_MS = 100
const MAX_BATCH_LENGTH = 256 * 1024
const ERROR = pino.levels.values["error"]
const INFO = pino.levels.values["info"]

export interface LoggerSettings {
  readonly level: string
}

/**
 * Opens standard error for writing in the background. Lines that do not fit into the queue are dropped, and reported
 * when there is room again.
 */
function standardError(): DestinationStream {
  const stream = pino.destination({ dest: 2, sync: false, maxLength: MAX_QUEUED_BYTES })
  let dropped = 0
  stream.on("drop", (text: string) => (dropped += text.split("\n").length - 1))
  stream.on("drain", () => {
    if (dropped === 0) return
    const lines = dropped
    dropped = 0
    const words = "dropped log lines: the reader is too slow"
    const facts = `"level":${ERROR},"time":${Date.now()},"event":"log_dropped","lines":${lines}`
    stream.write(`{${facts},"msg":"${words}"}\n`)
  })
  return stream
}

/**
 * Creates a logger that writes JSON lines to standard error in the background, so that no request waits for the log.
 * Credentials are never logged. Masking fields with these names is an additional safeguard.
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
 * Creates a writer of events whose fields are already JSON. The logger would search every field for credentials, which
 * takes ten times as long as creating the text. Each write takes just as long, so lines are collected for a short time.
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
    if (gathered === "") timer = setTimeout(flush, FLUSH_INTERVAL_MS)
    gathered += `{"level":${INFO},"time":${Date.now()},"event":"${event}",${text.slice(1)}\n`
    if (gathered.length > MAX_BATCH_LENGTH) flush()
  }
}
