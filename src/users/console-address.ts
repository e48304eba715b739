import type { InstallationSecrets } from "../secrets/installation-secrets.ts"

/**
 * Returns the console's address, or the one-time link that creates the first operator if there is
 * none.
 * @param url the gateway's own.
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
