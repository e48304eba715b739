import type { RequestHeaders, Signer } from "./vendor.ts"

/** Signs every request with the same headers, the very same object. */
export function staticSigner(headers: Record<string, string>): Signer {
  const signed: RequestHeaders = Object.freeze(headers)
  return { sign: () => signed }
}

/** `authorization: Bearer`, as most vendors have it; nothing without a key. */
export function bearerSigner(apiKey: string | undefined): Signer {
  return staticSigner(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` })
}

/** The key alone in a header of its own; no header without a key. */
export function headerSigner(name: string, apiKey: string | undefined): Signer {
  return staticSigner(apiKey === undefined ? {} : { [name]: apiKey })
}
