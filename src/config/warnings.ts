import { isLocalHost } from "../database-address.ts"
import type { SwitchedOn } from "./environment-providers.ts"
import type { Settings } from "./settings.ts"

const SHORT_TOKEN = 16

/** Returns warnings about unusual but valid settings. */
export function settingsWarnings(settings: Settings, found: readonly SwitchedOn[]): string[] {
  const warnings: string[] = []
  for (const entry of found) {
    const warning = unusedKey(entry, settings)
    if (warning !== undefined) warnings.push(warning)
  }
  if (settings.adminToken !== undefined && settings.adminToken.length < SHORT_TOKEN) {
    warnings.push(`admin_token: is shorter than ${SHORT_TOKEN} characters. Use a longer one.`)
  }
  if (/^0+(\.0+)?$/.test(settings.multiplier)) {
    warnings.push("multiplier: is 0, so callers pay nothing. Write 1 to charge the prices.")
  }
  return [...warnings, ...literalReferences(settings), ...plainIssuers(settings)]
}

/** Reports keys in LiteLLM's form, which are sent to the provider as they are. */
function literalReferences({ providers }: Settings): string[] {
  return Object.entries(providers).flatMap(([id, { apiKey, apiKeys = [] }]) => {
    const keys = [apiKey, ...apiKeys.map((one) => one.apiKey)]
    const variable = keys
      .map((key) => /^os\.environ\/(\w+)$/.exec(key ?? "")?.[1])
      .find((name) => name !== undefined)
    if (variable === undefined) return []
    return [
      `providers.${id}.api_key: 'os.environ/' is sent as a part of the key. ` +
        `To read the variable, write api_key: "\${${variable}}".`,
    ]
  })
}

/** Reports issuers whose identities can be forged on the way, because the connection is not encrypted. */
function plainIssuers(settings: Settings): string[] {
  return (settings.console?.oidc ?? []).flatMap(({ id, issuer }) => {
    const url = URL.parse(issuer)
    if (url?.protocol !== "http:" || isLocalHost(url.host)) return []
    return [
      `console.oidc: the address of the issuer '${id}' starts with http://, so others on the network could sign in as any user. Use https://.`,
    ]
  })
}

/** Explains why a vendor's key in the environment is not used, if the operator may expect it to be. */
function unusedKey(
  { vendor, variable, settings: named, missing }: SwitchedOn,
  settings: Settings,
): string | undefined {
  const { id } = vendor
  const provider = settings.providers[id]
  const isKey = named[0]?.[0] === "api_key"
  if (isKey && provider?.vendor === id && provider.apiKey === undefined && !provider.apiKeys) {
    return (
      `${variable}: not used, since providers.${id} in the file has no api_key. ` +
      `To use it, write api_key: "\${${variable}}".`
    )
  }
  const used = Object.values(settings.providers).some((provider) => provider.vendor === id)
  if (used) return undefined
  if (missing.length > 0) return `${variable}: not used, since ${missing.join(" and ")} is not set.`
  if (vendor.baseUrl !== undefined || vendor.variableSets !== undefined) return undefined
  return (
    `${variable}: not used, since ${vendor.name} has no address of its own. ` +
    `Add a provider with vendor: ${id} and a base_url to tollgate.yaml.`
  )
}
