import type { RequestReports } from "../reports.ts"
import type { UsageFilter } from "../requests.ts"
import type { OpenFile } from "../threads/thread-server.ts"
import { ThreadOnDemand } from "../threads/thread-on-demand.ts"
import { PostgresClient } from "./client.ts"
import type { PoolOptions } from "./connection-pool.ts"
import { explainedError } from "./explain-failure.ts"
import { SegmentUsage } from "./segment-usage.ts"

/** The address of the database, for the thread. */
export interface SegmentsAddress {
  readonly options: PoolOptions
  /** The location of the database, for messages. */
  readonly place: string
}

/** The methods of the thread that builds usage reports from segments. */
export interface SegmentMethods extends AsyncDisposable {
  readonly usage: Pick<
    RequestReports,
    "sumUsage" | "usageChanges" | "usageSeries" | "sampleResponses"
  > & {
    append(): Promise<void>
    covers(filter: UsageFilter): Promise<boolean>
  }
}

/** Returns a thread with its own connection, which starts with the first report. */
export function segmentsOnDemand(address: SegmentsAddress): ThreadOnDemand<SegmentMethods> {
  return new ThreadOnDemand({
    thread: "store/postgres/segments-thread.ts",
    path: JSON.stringify(address),
    noun: "the reports",
  })
}

/**
 * Opens the methods that the thread provides.
 * @param text JSON of a `SegmentsAddress`.
 */
export function openSegments(text: string): OpenFile {
  const { options, place } = JSON.parse(text) as SegmentsAddress
  const client = new PostgresClient(options)
  const usage = new SegmentUsage(client)
  return {
    methods: {
      usage: {
        sumUsage: (...parameters) => usage.sumUsage(...parameters),
        usageChanges: (...parameters) => usage.usageChanges(...parameters),
        usageSeries: (...parameters) => usage.usageSeries(...parameters),
        sampleResponses: (...parameters) => usage.sampleResponses(...parameters),
        append: () => usage.append(),
        covers: (filter) => usage.covers(filter),
      } satisfies SegmentMethods["usage"],
    },
    explained: (error) => explainedError(error, place),
    close: () => client[Symbol.asyncDispose](),
  }
}
