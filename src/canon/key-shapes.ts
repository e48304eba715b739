import { cleanedError, type GatewayError } from "./errors.ts"

/** Matches keys of well-known services and of the gateway: a prefix, followed by long random text. */
const KEY = /(?<![A-Za-z0-9])(sk-(?:[a-z]{2,8}-)?|gsk_|xai-|pplx-|hf_|nvapi-|AIza|AKIA)[\w-]{16,}/g

/**
 * Removes apparent keys from a text, but leaves their prefixes. People paste keys in place of a model name, and error
 * messages quote invalid values. The prefix shows which key it was.
 */
export function withoutKeys(text: string): string {
  return text.replace(KEY, "$1…")
}

/**
 * Returns an error as it is sent and stored. It must be called last. If a vendor repeats the operator's key, the
 * redactor needs the complete key to find it.
 */
export function errorWithoutKeys(error: GatewayError): GatewayError {
  return cleanedError(error, withoutKeys)
}
