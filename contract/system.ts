import * as z from "zod"
import { identifier, moment } from "./common.ts"
import { route } from "./route.ts"

/** `GET /admin/v1/system`: the processes of this installation, and its database. */
export const system = z.object({
  version: z.string(),
  /** Processes that use the database, those that were seen last first. */
  nodes: z.array(
    z.object({
      id: identifier,
      host: z.string(),
      process: z.int(),
      last_seen_at: moment,
      /** False: it is silent for longer than it should be. */
      is_responding: z.boolean(),
      /** Whether it is the one that answers. */
      is_this: z.boolean(),
    }),
  ),
  database: z.object({
    engine: z.enum(["SQLite", "PostgreSQL"]),
    version: z.string(),
    /** On disk, all of it. */
    bytes: z.int(),
    /** Of one statement; null where there is no server. */
    round_trip_ms: z.number().nullable(),
  }),
  /** What is wrong and what to do about it, as `tollgate doctor` says it. */
  problems: z.array(
    z.object({
      result: z.enum(["warning", "failed"]),
      name: z.string(),
      found: z.string(),
      mend: z.string(),
    }),
  ),
})
export type System = z.infer<typeof system>

/** `/admin/v1/system`: how the gateway itself is doing. */
export const systemRoutes = {
  "GET /system": route({
    summary: "The nodes and the database, and what is wrong with them",
    minimumRole: "operator",
    answer: system,
  }),
}
