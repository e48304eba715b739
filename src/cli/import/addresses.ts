import { vendors } from "../../vendors/index.ts"
import type { Vendor } from "../../vendors/vendor.ts"

/** The address of a provider. */
export interface Address {
  readonly vendor: string
  /** Undefined if it is the vendor's default address. */
  readonly baseUrl?: string | undefined
}

/** The vendor id for servers of unknown vendors with a known format. */
export const COMPATIBLE = "openai-compatible"

/** Additional hosts of vendors. They require separate keys, so the address is kept. */
const OTHER_HOSTS: Readonly<Record<string, string>> = {
  "api.stepfun.ai": "stepfun",
  "api.minimaxi.com": "minimax",
  "tokenhub.tencentmaas.com": "tencent",
  "dashscope.aliyuncs.com": "alibaba",
  "dashscope-us.aliyuncs.com": "alibaba",
  "api.siliconflow.cn": "siliconflow",
  "api.together.ai": "together",
  "eu.api.openai.com": "openai",
  "us.api.openai.com": "openai",
}
const AZURE_HOST = /\.(openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.(com|us|cn)$/
/** Matches endpoint paths at the end of an address. A base URL does not contain them. */
const ENDPOINT =
  /\/(chat\/completions|completions|embeddings|responses|messages|rerank|images\/generations|audio\/(speech|transcriptions))\/*$/

/** Vendors by host. Vendors of self-hosted servers have no host that identifies them. */
const BY_HOST: ReadonlyMap<string, Vendor> = new Map(
  [...vendors.values()].flatMap((vendor) => {
    const host = vendor.baseUrl === undefined ? undefined : new URL(vendor.baseUrl).hostname
    return host === undefined || host === "127.0.0.1" ? [] : [[host, vendor] as const]
  }),
)

export function isAzure(address: string): boolean {
  return AZURE_HOST.test(URL.parse(address)?.hostname ?? "")
}

/** Returns an address without an endpoint path and without trailing slashes. */
export function withoutEndpoint(address: string): string {
  return address.trim().replace(ENDPOINT, "").replace(/\/+$/, "")
}

/**
 * Returns the vendor of the server at an address. A known host belongs to its vendor, whose models have prices. An
 * unknown host that is called in OpenAI's format is `openai-compatible`.
 * @param vendor the vendor that the source names.
 */
export function addressOf(vendor: string, stated: string | undefined): Address {
  if (stated === undefined) return { vendor }
  const baseUrl = withoutEndpoint(stated)
  const url = URL.parse(baseUrl)
  if (!url) return { vendor, baseUrl: stated }
  const isOpenFormat = vendors.get(vendor)?.chat[0]?.dialect.id === "openai-chat"
  if (AZURE_HOST.test(url.hostname) && (isOpenFormat || vendor === "azure"))
    return { vendor: "azure", baseUrl: azureBase(url) }
  const other = Object.hasOwn(OTHER_HOSTS, url.hostname) ? OTHER_HOSTS[url.hostname] : undefined
  if (other !== undefined && isOpenFormat) return { vendor: other, baseUrl }
  const owner = BY_HOST.get(url.hostname)
  if (owner && (isOpenFormat || owner.id === vendor)) return ownAddress(owner, url, baseUrl)
  if (vendor === "ollama" && url.pathname === "/") return { vendor, baseUrl: `${baseUrl}/v1` }
  if (vendor === "anthropic") return { vendor, baseUrl: baseUrl.replace(/\/v1$/, "") }
  return { vendor: vendor === "openai" ? COMPATIBLE : vendor, baseUrl }
}

/**
 * Keeps a port or scheme that differs from the vendor's. A path, such as that of a subscription plan, is kept if the
 * vendor is called in OpenAI's format.
 */
function ownAddress(owner: Vendor, url: URL, baseUrl: string): Address {
  const { origin, pathname } = new URL(owner.baseUrl ?? baseUrl)
  // A different port or scheme means a different server, such as a proxy.
  if (url.origin !== origin) {
    return {
      vendor: owner.id,
      baseUrl: owner.id === "anthropic" ? baseUrl.replace(/\/v1$/, "") : baseUrl,
    }
  }
  const isUsual = ["/", "/v1", pathname].includes(url.pathname)
  const isOpenFormat = owner.chat[0]?.dialect.id === "openai-chat"
  return isUsual || !isOpenFormat ? { vendor: owner.id } : { vendor: owner.id, baseUrl }
}

/** Returns the resource's address. The v1 API requires no version, and takes the deployment's name as the model. */
function azureBase(url: URL): string {
  return url.pathname === "/" || /^\/(openai|models)(\/|$)/.test(url.pathname)
    ? url.origin
    : url.href.replace(/\/+$/, "")
}
