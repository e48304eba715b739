import { host, number, secret } from "./scalars.ts"

/** Where metrics can be read. */
export interface MetricSettings {
  /** A port of their own; absent: they are at `/metrics` of the gateway. */
  readonly port?: number
  readonly host: string
  /** What readers have to send. Never printed. */
  readonly token?: string
}

/** The names under `metrics` in the file. */
export const metricScalars = {
  port: number(1, 65_535).optional(),
  host: host().optional(),
  token: secret().optional(),
}

interface FileMetrics {
  readonly port?: number | undefined
  readonly host?: string | undefined
  readonly token?: string | undefined
}

/** The parsed section of the file; undefined where nobody can read metrics, so that nothing is counted. */
export function metricSettings(
  section: FileMetrics | null | undefined,
): MetricSettings | undefined {
  const { port, host = "127.0.0.1", token } = section ?? {}
  if (port === undefined && token === undefined) return undefined
  return { host, ...(port !== undefined && { port }), ...(token !== undefined && { token }) }
}
