import type { InstallationSecrets } from "../secrets/installation-secrets.ts"

/**
 * Returns the address of the console. If there is no operator, it is the one-time link that creates the first one.
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
