import type { OperationCall } from "../../canon/operation.ts"
import { type Deployment, credentialIdOf } from "../../catalog/model.ts"
import type { Redactor } from "../../canon/redactor.ts"
import { credentialsOf } from "../../config/provider-credentials.ts"
import type { ProviderSettings } from "../../config/settings.ts"
import { CallEnded, type CallFailure } from "../lifetime/call-failure.ts"
import type { ChatBinding, RequestHeaders, Signer, Vendor } from "../../vendors/vendor.ts"
import { jsonBytesInSlices } from "../../canon/sliced-json-text.ts"
import type { HttpBody, HttpRequest } from "../../wire/http/request.ts"

/** A request for a provider, before its address and signature are added. */
export interface OutgoingRequest {
  /** The vendor's own name for the model. */
  readonly model: string
  readonly stream: boolean
  readonly body: string | Uint8Array<ArrayBuffer>
  /** Additional headers, which never replace the provider's own headers. */
  readonly headers: RequestHeaders | undefined
}

/** The headers of a binding. They are valid as long as the signature does not change. */
interface SettledHeaders {
  readonly signed: RequestHeaders
  readonly record: RequestHeaders
  /** The headers in the form in which they are sent. */
  readonly ready: Headers
}

const JSON_TYPE = "application/json"

const USUAL_HEADERS: RequestHeaders = {
  "content-type": JSON_TYPE,
  accept: "*/*",
  // Compression is not requested, because it would delay frames of a stream.
  "accept-encoding": "identity",
  "user-agent": "tollgate",
}

function bytesOf(bytes: Uint8Array<ArrayBuffer> | (() => ReadableStream<Uint8Array>)): HttpBody {
  return typeof bytes === "function" ? bytes() : bytes
}

interface ClientParts {
  /** The id of the provider. */
  readonly provider: string
  /** The settings of the provider, with at most one credential. */
  readonly settings: ProviderSettings
  readonly vendor: Vendor
  readonly redactor: Redactor
  /** The id of the credential; absent if the provider has only one credential. */
  readonly credentialId?: string
}

/**
 * Returns the clients of a provider, by the ids of their credentials. There is one client for each credential. The
 * first is also listed under the provider's name.
 */
export function clientsOf({
  settings,
  ...parts
}: Omit<ClientParts, "credentialId">): readonly (readonly [string, ProviderClient])[] {
  const { provider } = parts
  const credentials = credentialsOf(settings)
  if (credentials.length === 0) return [[provider, new ProviderClient({ ...parts, settings })]]
  const clients = credentials.map((credential) => {
    const credentialId = credentialIdOf({ provider, credential })
    return new ProviderClient({ ...parts, settings: credential.settings, credentialId })
  })
  return clients.flatMap((client, index) => [
    ...(index === 0 ? [[provider, client] as const] : []),
    [client.credentialId, client] as const,
  ])
}

/**
 * The client of a provider for one of its credentials. All data that is the same for every request is computed once.
 */
export class ProviderClient {
  readonly provider: string
  /** The id of the credential, which owns the state that is stored with it. */
  readonly credentialId: string
  readonly vendor: Vendor
  /** The base URL, without a slash at its end. */
  readonly base: string
  /** Top-level fields of requests that are passed on although their price is unknown. */
  readonly extraFields: ReadonlySet<string>
  readonly #signer: Signer
  readonly #ownHeaders: RequestHeaders
  readonly #redactor: Redactor
  readonly #bindings = new WeakMap<Deployment, readonly ChatBinding[]>()
  readonly #settled = new Map<ChatBinding, SettledHeaders>()

  constructor(parts: ClientParts) {
    const { provider, settings, vendor, redactor, credentialId = provider } = parts
    const base = vendor.baseUrlOf(settings)
    if (base === undefined) throw new Error(`provider ${provider} has no address`)
    this.provider = provider
    this.credentialId = credentialId
    this.vendor = vendor
    this.base = base
    this.extraFields = new Set(settings.extraFields)
    this.#signer = vendor.signer(settings)
    this.#ownHeaders = settings.headers
    this.#redactor = redactor
  }

  /** Returns the provider's message without the operator's secrets. */
  cleanedText(text: string): string {
    return this.#redactor.clean(text, this.#signer.secrets?.())
  }

  /** Returns a failure with the operator's secrets removed from the provider's message. */
  cleaned(failure: CallFailure): CallFailure {
    if (failure instanceof CallEnded) return failure
    return this.#redactor.cleanError(failure, this.#signer.secrets?.())
  }

  /** Returns the dialects of a deployment, the preferred one first. */
  bindings(deployment: Deployment): readonly ChatBinding[] {
    let bindings = this.#bindings.get(deployment)
    if (bindings === undefined) {
      const { dialects = [] } = deployment
      bindings = this.vendor.chat.filter((binding) => dialects.includes(binding.dialect.id))
      this.#bindings.set(deployment, bindings)
    }
    return bindings
  }

  /**
   * Returns a request with its URL, signature and headers. The result is a promise only if signing is asynchronous.
   */
  request(binding: ChatBinding, input: OutgoingRequest): HttpRequest | Promise<HttpRequest> {
    const url = this.base + binding.path(input.model, input.stream)
    const { body } = input
    const signed = this.#signer.sign({ url, body })
    if (signed instanceof Promise) {
      return signed.then((fresh) => ({
        url,
        headers: new Headers({ ...input.headers, ...this.#merged(binding, fresh) }),
        body,
      }))
    }
    const { record, ready } = this.#headers(binding, signed)
    const headers = input.headers ? new Headers({ ...input.headers, ...record }) : ready
    return { url, headers, body }
  }

  /** Returns the address of an object that a chat at this provider has created, and the headers to request it. */
  async objectAddress(
    binding: ChatBinding,
    name: string,
  ): Promise<{ url: string; headers: RequestHeaders }> {
    const url = `${this.base}${binding.path("", false)}/${encodeURIComponent(name)}`
    const { "content-type": _, ...headers } = this.#merged(
      binding,
      await this.#signer.sign({ url, body: "" }),
    )
    return { url, headers }
  }

  /**
   * Returns the request of an operation other than chat.
   * @param isLarge whether its JSON is serialized in slices.
   */
  operation(call: OperationCall, isLarge = false): HttpRequest | Promise<HttpRequest> {
    const { body } = call
    if (body.type !== "json") return this.#operation(call, bytesOf(body.bytes))
    if (!isLarge) return this.#operation(call, JSON.stringify(body.json))
    return jsonBytesInSlices(body.json).then((bytes) => this.#operation(call, bytes))
  }

  #operation(call: OperationCall, body: HttpBody): HttpRequest | Promise<HttpRequest> {
    const url = this.base + call.path
    const sent = call.body
    const contentType = sent.type === "json" ? JSON_TYPE : sent.contentType
    const headers = { "content-type": contentType, ...call.headers }
    const whole = (signed: RequestHeaders): HttpRequest => ({
      url,
      headers: new Headers({ ...USUAL_HEADERS, ...headers, ...signed, ...this.#ownHeaders }),
      body,
    })
    // Only JSON content is ever included in a signature.
    const signed = this.#signer.sign({
      url,
      body: sent.type === "json" && !(body instanceof ReadableStream) ? body : "",
    })
    return signed instanceof Promise ? signed.then(whole) : whole(signed)
  }

  #headers(binding: ChatBinding, signed: RequestHeaders): SettledHeaders {
    const known = this.#settled.get(binding)
    if (known !== undefined && known.signed === signed) return known
    const record = this.#merged(binding, signed)
    const settled = { signed, record, ready: new Headers(record) }
    this.#settled.set(binding, settled)
    return settled
  }

  #merged(binding: ChatBinding, signed: RequestHeaders): RequestHeaders {
    return {
      ...USUAL_HEADERS,
      ...binding.headers,
      ...signed,
      ...this.#ownHeaders,
    }
  }
}
