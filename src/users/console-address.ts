import type { InstallationSecrets } from "../secrets/installation-secrets.ts"

/**
 * The console's address; without an operator, the one-time link that creates the first.
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
