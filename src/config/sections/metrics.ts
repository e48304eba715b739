import { section, setting } from "../declare.ts"
import { host } from "../addresses.ts"
import { secret, wholeNumber } from "../scalars.ts"
import { PLAIN_SECRET } from "../secret-forms.ts"

/** The metrics endpoint; undefined if metrics are disabled. */
export const METRICS = section(
  "metrics",
  {
    /** A separate port for metrics; if absent, the gateway serves them at `/metrics`. */
    port: setting(wholeNumber(1, 65_535), {
      needsRestart: true,
      otherwise: "none",
      documentation: "a separate port for [metrics](metrics.md)",
    }),
    host: setting(host(), {
      needsRestart: true,
      default: "127.0.0.1",
      documentation: "the address of that port",
    }),
    token: setting(secret(), {
      secret: PLAIN_SECRET,
      documentation:
        "the bearer token that metrics clients must send; without a port, serves `GET /metrics` with the API",
    }),
  },
  {
    build: (values) =>
      values.port === undefined && values.token === undefined ? undefined : values,
  },
)

export type MetricSettings = NonNullable<ReturnType<typeof METRICS.build>>
