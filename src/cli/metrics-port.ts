import type { MetricSettings } from "../config/sections/metrics.ts"
import { serveMetrics } from "../metrics/metrics-port.ts"
import { CommandError } from "./exit-codes.ts"

/** Interval of attempts to listen while a replaced gateway still has the port. */
const RETRY_INTERVAL_MS = 500

/**
 * Serves metrics on their own port.
 * @param isReplacing whether a gateway that is being replaced may still have the port.
 * @throws CommandError `failed` if another program has the port.
 */
export function openMetricsPort(
  settings: MetricSettings,
  text: () => Promise<string>,
  isReplacing: boolean,
): AsyncDisposable {
  let server: Bun.Server<undefined> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const open = (): void => {
    try {
      server = serveMetrics(settings, text)
    } catch (cause) {
      if (!isReplacing) throw portTaken(settings, cause)
      timer = setTimeout(open, RETRY_INTERVAL_MS)
    }
  }
  open()
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await server?.stop(true)
    },
  }
}

function portTaken({ host, port }: MetricSettings, cause: unknown): CommandError {
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
  return new CommandError(
    "failed",
    `cannot serve metrics on ${host} port ${port}${code}`,
    "Stop the program that uses the port, or choose another with metrics.port.",
  )
}
