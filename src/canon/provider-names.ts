import { cleanedError, type GatewayError } from "./errors.ts"

/** Matches the form in which error messages name a provider: `provider 'azure-eu'`. */
const NAMED = /(the )?\bprovider '[^']*'/gi

/** Replaces the names of providers in an error message. */
export function withoutProviderNames(message: string): string {
  return message.replace(NAMED, (found) => (/^[TP]/.test(found) ? "The provider" : "the provider"))
}

/** Returns an error without provider names, for callers who do not see the operator's providers. */
export function errorWithoutProviders(error: GatewayError): GatewayError {
  return cleanedError(error, withoutProviderNames)
}
