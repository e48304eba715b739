import { existsSync } from "node:fs"
import type { FailureFilter, FailureLog } from "../failure-log.ts"
import type { PayloadLog } from "../payload-log.ts"
import { contentsPath, failuresPath } from "./log-file.ts"
import type { ReportsOnDemand } from "./reports-on-demand.ts"

/**
 * The payload log and the failure log in files next to the ledger. They are written on the thread of the reports index.
 * Each file is created by its first write.
 * @param databasePath the path of the ledger.
 */
export function sqliteLogs(
  databasePath: string,
  reports: ReportsOnDemand,
): { readonly payloads: PayloadLog; readonly failures: FailureLog } {
  const payloads = async () => (await reports.current()).payloads
  const failures = async () => (await reports.current()).failures
  /** Returns the methods for a filter. Searches read all messages, so they run on the thread of long reads. */
  const failuresFor = async ({ search }: FailureFilter) =>
    search === undefined ? failures() : (await reports.longReads()).failures
  const hasPayloads = (): boolean => existsSync(contentsPath(databasePath))
  const hasFailures = (): boolean => existsSync(failuresPath(databasePath))
  return {
    payloads: {
      keep: async (record) => (await payloads()).keep(record),
      find: async (request) => (hasPayloads() ? (await payloads()).find(request) : null),
      async sweep(before) {
        if (hasPayloads()) await (await payloads()).sweep(before)
      },
    },
    failures: {
      add: async (requests, attempts) => (await failures()).add(requests, attempts),
      find: async (request) => (hasFailures() ? (await failures()).find(request) : null),
      attempts: async (request) => (hasFailures() ? (await failures()).attempts(request) : []),
      list: async (filter, after, limit) =>
        hasFailures() ? (await failuresFor(filter)).list(filter, after, limit) : [],
      // A file is searched completely.
      searchReach: async () => null,
      async search(search, limit) {
        if (!hasFailures()) return { requests: [], unsearched: null }
        return (await reports.longReads()).failures.search(search, limit)
      },
      count: async (filter, step) =>
        hasFailures() ? (await failuresFor(filter)).count(filter, step) : [],
      async sweep(limits) {
        if (hasFailures()) await (await failures()).sweep(limits)
      },
    },
  }
}
