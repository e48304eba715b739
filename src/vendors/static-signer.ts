import type { RequestHeaders, Signer } from "./vendor.ts"

/** Returns a signer that adds the same headers to every request. It always returns the same object. */
export function staticSigner(headers: Record<string, string>): Signer {
  const signed: RequestHeaders = Object.freeze(headers)
  return { sign: () => signed }
}

/** Returns a signer with `authorization: Bearer`, which most vendors use; without a key, it adds no header. */
export function bearerSigner(apiKey: string | undefined): Signer {
  return staticSigner(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` })
}

/** Returns a signer that sends only the key as the value of a header; without a key, it adds no header. */
export function headerSigner(name: string, apiKey: string | undefined): Signer {
  return staticSigner(apiKey === undefined ? {} : { [name]: apiKey })
}
