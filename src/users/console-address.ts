import type { InstallationSecrets } from "../secrets/installation-secrets.ts"

/**
 * Returns the address of the console, or the one-time link for creating the first operator if there is no operator.
 * @param url the gateway's own address.
 */
export function consoleAddress(
  url: string,
  { setupToken }: InstallationSecrets,
  hasOperator: boolean,
): string {
  if (!hasOperator) return `${url}/console/setup?token=${setupToken.readOrCreate()}`
  setupToken.remove()
  return `${url}/console/`
}
