import type { System as SystemDocument } from "#contract/system.ts"
import { UNRESPONSIVE_AFTER_MS } from "../ledger/node.ts"
import { VERSION } from "../runtime.ts"
import type { DatabaseStatus } from "../store/database-status.ts"
import { type NodeRecord, processOf } from "../store/nodes.ts"
import type { DatabaseWatch } from "../store/serving-database.ts"
import { type Actor, requireOperator } from "./actor.ts"
import { type Check, warningChecks } from "./check.ts"
import { serverChecks } from "./server-checks.ts"

export interface SystemParts {
  readonly databaseStatus: () => Promise<DatabaseStatus>
  readonly databaseWatch: Pick<DatabaseWatch, "fault">
  readonly nodeId: string
  /** Returns the warnings about the active settings. */
  readonly warnings: () => readonly string[]
}

/** Reports the state of the gateway's processes and of its database. */
export class System {
  readonly #parts: SystemParts
  #pendingStatus: Promise<DatabaseStatus> | undefined

  constructor(parts: SystemParts) {
    this.#parts = parts
  }

  /** Reports the state. Simultaneous callers share one query. @throws GatewayError `forbidden`. */
  async report(actor: Actor, now = Date.now()): Promise<SystemDocument> {
    requireOperator(actor)
    this.#pendingStatus ??= this.#parts
      .databaseStatus()
      .finally(() => (this.#pendingStatus = undefined))
    const status = await this.#pendingStatus
    const { engine, version, bytes, nodes, server } = status
    return {
      version: VERSION,
      nodes: (nodes ?? [])
        .toSorted((left, right) => right.beatAt - left.beatAt)
        .map((node) => this.#node(node, now)),
      database: { engine, version, bytes, round_trip_ms: server?.roundTrip ?? null },
      problems: this.#checks(status).flatMap(problemsOf),
    }
  }

  #node(
    { id, host, process, beatAt, leaseTerm }: NodeRecord,
    now: number,
  ): SystemDocument["nodes"][number] {
    return {
      id,
      host,
      process,
      last_seen_at: new Date(beatAt).toISOString(),
      is_responding: now - beatAt <= (leaseTerm ?? UNRESPONSIVE_AFTER_MS),
      is_current: processOf(id) === processOf(this.#parts.nodeId),
    }
  }

  #checks({ server, version, schema }: DatabaseStatus): Check[] {
    const { fault } = this.#parts.databaseWatch
    const faults = [fault?.message, schema.fault].filter((text) => typeof text === "string")
    return [
      ...faults.map((found) => ({
        name: "database",
        result: "failed" as const,
        found,
        fix: "run 'tollgate doctor' where the gateway runs",
      })),
      ...(server ? serverChecks(server, version) : []),
      ...warningChecks(this.#parts.warnings()),
    ]
  }
}

function problemsOf({ name, result, found, fix = "" }: Check): SystemDocument["problems"] {
  return result === "ok" ? [] : [{ name, result, found, fix }]
}
