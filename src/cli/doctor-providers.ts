import type { LoadOptions } from "../config/load.ts"
import { credentialsOf } from "../config/provider-credentials.ts"
import type { ProviderSettings, Settings } from "../config/settings.ts"
import { probeProvider } from "../management/probe.ts"
import { vendors } from "../vendors/index.ts"
import { noProxy, proxyFault, proxyFor, proxyHost } from "../wire/http/proxies.ts"
import { type Check, checkOf } from "../management/check.ts"

const CLOCK_TOLERANCE_MS = 30_000

interface ProviderResult {
  readonly check: Check
  /** The provider's clock minus the local clock in milliseconds; absent if the provider does not send its time. */
  readonly clockOffset?: number
}

/**
 * Sends every provider a free request that needs the credential, usually for its list of models.
 */
export async function checkProviders(
  settings: Settings,
): Promise<{ checks: readonly Check[]; clock: Check }> {
  const results = await Promise.all(
    Object.entries(settings.providers).flatMap(([id, provider]) => {
      const credentials = credentialsOf(provider)
      if (credentials.length === 0) return [checkProvider(`provider ${id}`, provider)]
      return credentials.map(({ name, settings }) =>
        checkProvider(`provider ${id}, key ${name}`, settings),
      )
    }),
  )
  const offsets = results.flatMap(({ clockOffset }) => clockOffset ?? [])
  const checks = results.map(({ check }) => check)
  if (checks.length === 0) {
    const fix = "set a provider's variable such as OPENAI_API_KEY, or write tollgate.yaml"
    checks.push(checkOf("providers").warning("no provider is configured", fix))
  }
  return { checks, clock: checkClock(offsets) }
}

async function checkProvider(name: string, provider: ProviderSettings): Promise<ProviderResult> {
  const vendor = vendors.get(provider.vendor)
  if (!vendor) {
    const check = checkOf(name)
    const fix = "see docs/run/providers.md for the list of vendors"
    return { check: check.failed(`unknown vendor ${provider.vendor}`, fix) }
  }
  const { result, found, fix, clockOffset } = await probeProvider(provider, vendor)
  return {
    check: { name, result, found, ...(fix !== undefined && { fix }) },
    ...(clockOffset !== undefined && { clockOffset }),
  }
}

function checkClock(offsets: readonly number[]): Check {
  const check = checkOf("clock")
  const [closest] = offsets.toSorted((left, right) => Math.abs(left) - Math.abs(right))
  if (closest === undefined) {
    return check.ok(`${new Date().toISOString()} (no provider to compare with)`)
  }
  const seconds = Math.round(closest / 1_000)
  if (Math.abs(closest) <= CLOCK_TOLERANCE_MS) {
    return check.ok(`within ${Math.max(1, Math.abs(seconds))} s of the providers'`)
  }
  const found = `${Math.abs(seconds)} s ${seconds > 0 ? "behind" : "ahead of"} the providers`
  return check.failed(found, "set the clock, for example with NTP")
}

/**
 * Reports the active proxies without their passwords; empty if there are none. Malformed proxies are reported as
 * warnings.
 */
export function checkProxies(environment: LoadOptions["environment"]): Check[] {
  const used = ["https:", "http:"].flatMap((protocol) => {
    const proxy = proxyFor(protocol, environment)
    return proxy && proxyFault(proxy) === undefined
      ? [`${protocol.slice(0, -1)} by ${proxyHost(proxy)} (${proxy.variable})`]
      : []
  })
  if (used.length === 0) return []
  const direct = noProxy(environment)
  const exceptions = direct === undefined ? "" : `; without it: ${direct}`
  return [checkOf("proxy").ok(`${used.join(", ")}${exceptions}`)]
}
