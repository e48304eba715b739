import type { Machine } from "./machine.ts"
import type { ConsoleResult } from "./measure/console.ts"
import type { LatencyResult } from "./measure/latency.ts"
import type { TailResult } from "./measure/tail.ts"
import type { MemoryResult } from "./measure/memory.ts"
import type { ObservationCost } from "./measure/observation.ts"
import type { ProcessorResult } from "./measure/processor-time.ts"
import type { SizeResult } from "./measure/size.ts"
import type { StartResult } from "./measure/start.ts"
import type { StoreResult } from "./measure/store.ts"
import type { UploadResult } from "./measure/upload.ts"
import type { SubjectName } from "./options.ts"

/** All results of one run. Parts that were not requested are absent. */
export interface Results {
  readonly date: string
  readonly isQuick: boolean
  readonly machine: Machine
  readonly subjects: readonly SubjectName[]
  /** The reasons why other subjects could not be measured. */
  readonly missing: Readonly<Record<string, string>>
  chat?: ProcessorResult
  stream?: ProcessorResult
  transcode?: ProcessorResult
  latency?: LatencyResult
  tail?: TailResult
  memory?: readonly MemoryResult[]
  upload?: readonly UploadResult[]
  start?: readonly StartResult[]
  store?: StoreResult
  size?: SizeResult
  observation?: readonly ObservationCost[]
  console?: readonly ConsoleResult[]
}
