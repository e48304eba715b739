import type { LogSettings } from "../config/sections/log.ts"
import type { LineDestination } from "../sinks/destination.ts"
import { type LineAlarms, LineSink } from "../sinks/line-sink.ts"
import { LineAddress, LineBucket } from "../sinks/remote-destinations.ts"
import { RotatingFile } from "../sinks/rotating-file.ts"

const FLUSH_INTERVAL_MS = 1_000
const MAX_BATCH_LENGTH = 256 * 1024
/** Maximum length of an object in a bucket, before compression. */
const MAX_OBJECT_LENGTH = 4 * 1024 * 1024
/** Maximum time for writing queued lines at normal and at immediate shutdown. */
const SHUTDOWN_TIMEOUT_MS = 5_000
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 500

export interface SinkParts {
  readonly settings: LogSettings
  readonly alarms: LineAlarms
  /** Whether the process has to end without waiting. */
  readonly skipsDrain: () => boolean
}

/** A destination with its batch size and flush interval. */
interface Outlet {
  readonly name: string
  readonly destination: LineDestination
  readonly every: number
  readonly batch: number
}

/** Opens every sink that the settings name. Each sink connects or opens its file when it receives the first line. */
export function openSinks(
  { settings, alarms, skipsDrain }: SinkParts,
  building: AsyncDisposableStack,
): readonly LineSink[] {
  const lastTime = (): number =>
    skipsDrain() ? IMMEDIATE_SHUTDOWN_TIMEOUT_MS : SHUTDOWN_TIMEOUT_MS
  const sinks = outletsOf(settings, building).map(
    (outlet) => new LineSink({ ...outlet, limit: settings.queueBytes, alarms, lastTime }),
  )
  building.defer(async () => {
    await Promise.all(sinks.map((sink) => sink[Symbol.asyncDispose]()))
  })
  return sinks
}

function outletsOf(
  { file, http, bucket }: LogSettings,
  building: AsyncDisposableStack,
): readonly Outlet[] {
  const outlets: Outlet[] = []
  if (file) {
    const destination = building.use(new RotatingFile(file))
    outlets.push({ name: "file", destination, every: FLUSH_INTERVAL_MS, batch: MAX_BATCH_LENGTH })
  }
  if (http) {
    const { every } = http
    outlets.push({
      name: "http",
      destination: new LineAddress(http),
      every,
      batch: MAX_BATCH_LENGTH,
    })
  }
  if (bucket) {
    const { every } = bucket
    const destination = new LineBucket(bucket)
    outlets.push({ name: "s3", destination, every, batch: MAX_OBJECT_LENGTH })
  }
  return outlets
}
