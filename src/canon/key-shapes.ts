import { cleanedError, type GatewayError } from "./errors.ts"

/** How keys of well-known services begin, ours among them; what follows is long and random. */
const KEY = /(?<![A-Za-z0-9])(sk-(?:[a-z]{2,8}-)?|gsk_|xai-|pplx-|hf_|nvapi-|AIza|AKIA)[\w-]{16,}/g

/**
 * A text without what looks like a key: people paste theirs where the name of a model belongs, and messages quote what
 * was wrong. Its beginning stays, so that they see what it was.
 */
export function withoutKeys(text: string): string {
  return text.replace(KEY, "$1…")
}

/**
 * An error as it is answered and stored. Only then: where a vendor repeats the operator's key, the redactor has to find
 * the whole of it first.
 */
export function errorWithoutKeys(error: GatewayError): GatewayError {
  return cleanedError(error, withoutKeys)
}
