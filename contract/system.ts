import * as z from "zod"
import { identifier, moment } from "./common.ts"
import { route } from "./route.ts"

/** The response of `GET /admin/v1/system`: the processes of this installation, and the database. */
export const system = z.object({
  version: z.string(),
  /** Processes that use the database. The process with the most recent heartbeat comes first. */
  nodes: z.array(
    z.object({
      id: identifier,
      host: z.string(),
      process: z.int(),
      last_seen_at: moment,
      /** Whether the process sends heartbeats. False if the next heartbeat is overdue. */
      is_responding: z.boolean(),
      /** Whether this process sent the response. */
      is_current: z.boolean(),
    }),
  ),
  database: z.object({
    engine: z.enum(["SQLite", "PostgreSQL"]),
    version: z.string(),
    /** Total size of the database on disk in bytes. */
    bytes: z.int(),
    /** Round trip of one statement in milliseconds; null if the database has no server. */
    round_trip_ms: z.number().nullable(),
  }),
  /** Problems with their solutions, as `tollgate doctor` prints them. */
  problems: z.array(
    z.object({
      result: z.enum(["warning", "failed"]),
      name: z.string(),
      found: z.string(),
      fix: z.string(),
    }),
  ),
})
export type System = z.infer<typeof system>

/** `/admin/v1/system`: the state of the gateway itself. */
export const systemRoutes = {
  "GET /system": route({
    summary: "Get the state of the nodes and the database, with their problems",
    minimumRole: "operator",
    response: system,
  }),
}
