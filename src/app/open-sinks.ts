import type { LogSettings } from "../config/sections/log.ts"
import type { LineDestination } from "../sinks/destination.ts"
import { type LineAlarms, LineSink } from "../sinks/line-sink.ts"
import { LineAddress } from "../sinks/line-address.ts"
import { LineBucket } from "../sinks/line-bucket.ts"
import { RotatingFile } from "../sinks/rotating-file.ts"

/** How long lines wait for others that are written with them, milliseconds. */
const SHORTLY = 1_000
/** Characters that are written at once. */
const BATCH = 256 * 1024
/** Characters of one object of a bucket, before they are compressed. */
const OBJECT = 4 * 1024 * 1024
/** How long what is waiting may take when the process ends, and when it has to end now, milliseconds. */
const LAST_TIME = 5_000
const HURRIED_TIME = 500

export interface SinkParts {
  readonly settings: LogSettings
  readonly alarms: LineAlarms
  /** Whether the process has to end without waiting. */
  readonly isHurried: () => boolean
}

/** A destination, and how it wants its lines. */
interface Outlet {
  readonly name: string
  readonly destination: LineDestination
  readonly every: number
  readonly batch: number
}

/** Opens every sink that the settings name. Nothing is connected or written before there is a line. */
export function openSinks(
  { settings, alarms, isHurried }: SinkParts,
  building: AsyncDisposableStack,
): readonly LineSink[] {
  const lastTime = (): number => (isHurried() ? HURRIED_TIME : LAST_TIME)
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
    outlets.push({ name: "file", destination, every: SHORTLY, batch: BATCH })
  }
  if (http) {
    const { every } = http
    outlets.push({ name: "http", destination: new LineAddress(http), every, batch: BATCH })
  }
  if (bucket) {
    const { every } = bucket
    const destination = new LineBucket(bucket)
    outlets.push({ name: "s3", destination, every, batch: OBJECT })
  }
  return outlets
}
