import type { MetricSettings } from "../config/sections/metrics.ts"
import { serveMetrics } from "../metrics/metrics-port.ts"
import { CommandError } from "./exit-codes.ts"

/** How often the port of a gateway that is being replaced is tried, milliseconds. */
const RETRY = 500

/**
 * Serves metrics at their own port.
 * @param isReplacing whether another gateway still has the port, and will leave it.
 * @throws CommandError `failed` when another program has it.
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
      timer = setTimeout(open, RETRY)
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
