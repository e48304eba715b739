import type { ProviderSettings, Settings } from "../config/settings.ts"
import { endpointOf } from "../relay/upstream.ts"
import { vendors } from "../vendors/index.ts"
import type { Check } from "./doctor-check.ts"

/** How long a provider may take to answer, in milliseconds. */
const PATIENCE = 5_000
/** A clock that is further off than this is wrong, in milliseconds. */
const CLOCK_TOLERANCE = 30_000

interface Looked {
  readonly check: Check
  /** The provider's clock less ours, in milliseconds, when it told. */
  readonly clockOffset?: number
}

/** Asks every provider for its models, which needs the credential and costs nothing. */
export async function checkProviders(
  settings: Settings,
): Promise<{ checks: readonly Check[]; clock: Check }> {
  const looked = await Promise.all(
    Object.entries(settings.providers).map(([id, provider]) => lookAt(id, provider)),
  )
  const offsets = looked.flatMap(({ clockOffset }) => clockOffset ?? [])
  const checks = looked.map(({ check }) => check)
  if (checks.length === 0) {
    const mend = "set a vendor's variable such as OPENAI_API_KEY, or write tollgate.yaml"
    checks.push({ name: "providers", result: "warning", found: "none is set up", mend })
  }
  return { checks, clock: checkClock(offsets) }
}

async function lookAt(id: string, provider: ProviderSettings): Promise<Looked> {
  const name = `provider ${id}`
  const vendor = vendors.get(provider.vendor)
  if (!vendor) {
    const mend = "see the README for the vendors there are"
    return { check: { name, result: "failed", found: `unknown vendor ${provider.vendor}`, mend } }
  }
  const { chatUrl, headers } = endpointOf(id, provider, vendor)
  const url = `${chatUrl.slice(0, -vendor.chatPath.length)}/models`
  try {
    const response = await fetch(url, {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE),
    })
    await response.body?.cancel()
    const date = Date.parse(response.headers.get("date") ?? "")
    const clock = Number.isNaN(date) ? {} : { clockOffset: date - Date.now() }
    return { check: judge(name, response.status), ...clock }
  } catch {
    const mend = "check base_url, the network, and whether the server runs"
    return { check: { name, result: "warning", found: "it cannot be reached", mend } }
  }
}

function judge(name: string, status: number): Check {
  if (status === 401 || status === 403) {
    const mend = "correct its api_key, or the variable it comes from"
    return { name, result: "failed", found: `it refuses the credential (${status})`, mend }
  }
  if (status >= 500) {
    return { name, result: "warning", found: `it answers with ${status}`, mend: "try again later" }
  }
  // Some vendors have no list of models; what counts is that the credential was not refused.
  return {
    name,
    result: "ok",
    found: status === 200 ? "it accepts the credential" : `reached (${status})`,
  }
}

function checkClock(offsets: readonly number[]): Check {
  const name = "clock"
  const [closest] = offsets.toSorted((left, right) => Math.abs(left) - Math.abs(right))
  if (closest === undefined) {
    return {
      name,
      result: "ok",
      found: `${new Date().toISOString()} (no provider to compare with)`,
    }
  }
  const seconds = Math.round(closest / 1_000)
  if (Math.abs(closest) <= CLOCK_TOLERANCE) {
    return {
      name,
      result: "ok",
      found: `within ${Math.max(1, Math.abs(seconds))} s of the providers'`,
    }
  }
  const found = `${Math.abs(seconds)} s ${seconds > 0 ? "behind" : "ahead of"} the providers`
  return { name, result: "failed", found, mend: "set the clock, for example with NTP" }
}
