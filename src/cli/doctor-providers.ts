import { GatewayError } from "../canon/errors.ts"
import type { ProviderSettings, Settings } from "../config/settings.ts"
import { vendors } from "../vendors/index.ts"
import type { RequestHeaders, Vendor } from "../vendors/vendor.ts"
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

/** What was found about a provider, apart from its name. */
type Finding = Omit<Check, "name">

/** Asks every provider something that needs the credential and costs nothing, mostly for its models. */
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
  const probe = vendor.probe(provider)
  const url = "url" in probe ? probe.url : ""
  let signed: RequestHeaders
  try {
    signed = await vendor.signer(provider).sign({ url, body: "", method: "GET" })
  } catch (error) {
    return { check: { name, ...unsigned(error) } }
  }
  if ("known" in probe) return { check: { name, result: "ok", found: probe.known } }
  const headers = { ...vendor.chat[0]?.headers, ...signed, ...provider.headers }
  try {
    const response = await fetch(url, {
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE),
    })
    const check = { name, ...(await judge(vendor, response)) }
    const date = Date.parse(response.headers.get("date") ?? "")
    const clock = Number.isNaN(date) ? {} : { clockOffset: date - Date.now() }
    return { check, ...clock }
  } catch {
    const mend = "check base_url, the network, and whether the server runs"
    return { check: { name, result: "warning", found: "it cannot be reached", mend } }
  }
}

/** A credential that has to be exchanged before it is used, and could not be. */
function unsigned(error: unknown): Finding {
  if (!(error instanceof GatewayError)) throw error
  return { result: "failed", found: error.message, mend: "correct its credentials" }
}

async function judge(vendor: Vendor, response: Response): Promise<Finding> {
  const { status } = response
  if (await refusesCredential(vendor, response)) {
    const mend = "correct its api_key or other credential, or the variable it comes from"
    return { result: "failed", found: `it refuses the credential (${status})`, mend }
  }
  if (status >= 500) {
    return { result: "warning", found: `it answers with ${status}`, mend: "try again later" }
  }
  // Some vendors have no list of models; what counts is that the credential was not refused.
  const found = status === 200 ? "it accepts the credential" : `reached (${status})`
  return { result: "ok", found }
}

/** Some vendors say it with 400, and in words that their dialect knows. */
async function refusesCredential(vendor: Vendor, response: Response): Promise<boolean> {
  const { status } = response
  if (status !== 400) {
    await response.body?.cancel()
    return status === 401 || status === 403
  }
  const body = parsed(await response.text())
  return vendor.chat[0]?.dialect.decodeError(status, body).kind === "upstream_error"
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return body
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
