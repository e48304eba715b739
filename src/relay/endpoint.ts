import type { Deployment } from "../catalog/model.ts"
import type { ProviderSettings } from "../config/settings.ts"
import type { ChatOffer, Signer, Vendor } from "../vendors/vendor.ts"

type RequestHeaders = Readonly<Record<string, string>>

/** One upstream request, ready to be sent. */
export interface UpstreamRequest {
  readonly url: string
  readonly headers: RequestHeaders
  readonly body: string
}

/** What is to be asked of a provider. */
export interface RequestOrder {
  /** The vendor's own name for it. */
  readonly model: string
  readonly stream: boolean
  readonly body: string
  /** Further headers, which never replace the provider's own. */
  readonly headers?: RequestHeaders
}

/** A provider with everything that is the same for all its requests worked out. */
export class Endpoint {
  readonly provider: string
  readonly vendor: Vendor
  /** Without a slash at its end. */
  readonly base: string
  readonly #signer: Signer
  readonly #ownHeaders: RequestHeaders
  readonly #offers = new WeakMap<Deployment, readonly ChatOffer[]>()
  /** Headers of signatures that stay the same, by offer. */
  readonly #settled = new Map<
    ChatOffer,
    { readonly signed: RequestHeaders; readonly headers: RequestHeaders }
  >()

  constructor(id: string, provider: ProviderSettings, vendor: Vendor) {
    const base = vendor.baseUrlOf(provider)
    if (base === undefined) throw new Error(`provider ${id} has no address`)
    this.provider = id
    this.vendor = vendor
    this.base = base
    this.#signer = vendor.signer(provider)
    this.#ownHeaders = provider.headers
  }

  /** The dialects in which a deployment can be called, the one to prefer first. */
  offers(deployment: Deployment): readonly ChatOffer[] {
    let offers = this.#offers.get(deployment)
    if (offers === undefined) {
      const { dialects = [] } = deployment
      offers = this.vendor.chat.filter((offer) => dialects.includes(offer.dialect.id))
      this.#offers.set(deployment, offers)
    }
    return offers
  }

  /** A request with its address, its signature and its headers. A promise only when signing takes one. */
  request(offer: ChatOffer, order: RequestOrder): UpstreamRequest | Promise<UpstreamRequest> {
    const url = this.base + offer.path(order.model, order.stream)
    const { body } = order
    const signed = this.#signer.sign({ url, body })
    if (signed instanceof Promise) {
      return signed.then((fresh) => ({
        url,
        headers: { ...order.headers, ...this.#merged(offer, fresh) },
        body,
      }))
    }
    const headers = this.#headers(offer, signed)
    return { url, headers: order.headers ? { ...order.headers, ...headers } : headers, body }
  }

  #headers(offer: ChatOffer, signed: RequestHeaders): RequestHeaders {
    const settled = this.#settled.get(offer)
    if (settled !== undefined && settled.signed === signed) return settled.headers
    const headers = this.#merged(offer, signed)
    this.#settled.set(offer, { signed, headers })
    return headers
  }

  #merged(offer: ChatOffer, signed: RequestHeaders): RequestHeaders {
    return {
      "content-type": "application/json",
      // Compressed frames would have to wait for each other.
      "accept-encoding": "identity",
      "user-agent": "tollgate",
      ...offer.headers,
      ...signed,
      ...this.#ownHeaders,
    }
  }
}
