import { MAX_RATE_DEBT_MINUTES, RATE_ROUNDING, type RateGrant } from "../rate-limits.ts"
import type { Store } from "../store.ts"
import { texts } from "./arrays.ts"
import type { PostgresClient } from "./client.ts"
import type { Value } from "./connection-pool.ts"

interface GrantRow {
  readonly granted: number
  readonly level: number
}

/**
 * Existing buckets are locked in the order of their keys until the statement ends. If two nodes lease from a missing
 * bucket at the same time, both may get all of it. Its level then contains both leases.
 */
const LEASE = `WITH moment AS MATERIALIZED (SELECT tollgate_now() AS now),
  asked AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $3::float8[], $4::float8[], $5::float8[], $6::float8[], $7::float8[])
      WITH ORDINALITY AS asked (key, unit, quota, used, first, needed, ahead, place)
  ),
  known AS MATERIALIZED (
    SELECT buckets.key, buckets.unit, buckets.level, buckets.at
    FROM rate_buckets buckets JOIN asked ON asked.key = buckets.key AND asked.unit = buckets.unit
    ORDER BY buckets.key, buckets.unit FOR UPDATE OF buckets
  ),
  filled AS MATERIALIZED (
    SELECT asked.*, known.key IS NOT NULL AS is_known, greatest(moment.now, known.at) AS at,
      greatest(0, asked.used + CASE WHEN known.key IS NULL THEN 0 ELSE
        greatest(0, known.level - greatest(0, moment.now - known.at) * asked.quota / 60000) END) AS level
    FROM moment, asked LEFT JOIN known ON known.key = asked.key AND known.unit = asked.unit
  ),
  granting AS MATERIALIZED (
    SELECT filled.*, CASE
      WHEN first > quota THEN CASE WHEN level <= quota * ${RATE_ROUNDING} THEN first ELSE 0 END
      WHEN level + first > quota * (1 + ${RATE_ROUNDING}) THEN 0
      WHEN level + needed > quota THEN greatest(first, quota - level)
      ELSE needed + least(ahead, (quota - level - needed) / $8::float8) END AS granted
    FROM filled
  ),
  granted AS MATERIALIZED (
    SELECT key, unit, at, place, is_known, granted, least(level + granted, greatest(level, quota * ${MAX_RATE_DEBT_MINUTES}))
      AS level FROM granting
  ),
  changed AS (
    UPDATE rate_buckets SET level = granted.level, at = granted.at FROM granted
    WHERE granted.is_known AND rate_buckets.key = granted.key AND rate_buckets.unit = granted.unit
  ),
  added AS (
    INSERT INTO rate_buckets (key, unit, level, at)
    SELECT key, unit, level, at FROM granted WHERE NOT is_known ORDER BY key, unit
    ON CONFLICT (key, unit) DO UPDATE SET level = rate_buckets.level + excluded.level
  )
  SELECT granted, level FROM granted ORDER BY place`

/** Locks the row of the key before its slots are counted. */
const LEASE_SLOTS = `INSERT INTO running_slots AS known (key, slots)
  VALUES ($1, jsonb_build_object($2::text, greatest($4::int, least($5::int, $3::int))))
  ON CONFLICT (key) DO UPDATE SET slots = (
    SELECT coalesce(jsonb_object_agg(other.key, other.value), '{}')
      || jsonb_build_object($2::text, greatest($4::int, least($5::int, $3::int - coalesce(sum(other.value::int), 0)::int)))
    FROM jsonb_each(known.slots) AS other
    WHERE other.key <> $2 AND other.value::int > 0
      AND EXISTS (SELECT 1 FROM nodes WHERE split_part(nodes.id, '.', 1) = other.key))
  RETURNING (slots ->> $2)::int AS slots`

export function rateLimitMethods(client: PostgresClient): Store["rateLimits"] {
  return {
    async lease(orders, machines) {
      if (orders.length === 0) return []
      const rows = await client.rows<GrantRow>(LEASE, [
        texts(orders.map(({ key }) => key)),
        texts(orders.map(({ unit }) => unit)),
        floats(orders.map(({ limit }) => limit)),
        floats(orders.map(({ used }) => used)),
        floats(orders.map(({ first }) => first)),
        floats(orders.map(({ needed }) => needed)),
        floats(orders.map(({ ahead }) => ahead)),
        String(Math.max(1, machines)),
      ])
      return rows.map(({ granted, level }): RateGrant => ({ granted, level }))
    },
    async leaseSlots({ key, node, limit, running, wanted }) {
      const numbers = [limit, running, wanted].map(String)
      const row = await client.row<{ slots: number }>(LEASE_SLOTS, [key, node, ...numbers])
      return row?.slots ?? running
    },
  }
}

function floats(values: readonly number[]): Value {
  return Bun.sql.array([...values], "FLOAT8")
}
