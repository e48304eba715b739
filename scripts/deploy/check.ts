/** Checks that the deployment files are valid, and that they agree with the gateway and with each other. */
import { join } from "node:path"
import { checkChart } from "./chart.ts"
import { checkCompose } from "./compose.ts"
import { checkDockerfile, portOf } from "./dockerfile.ts"
import { checkAlerts, checkDashboard } from "./monitoring.ts"
import { checkUnit } from "./unit.ts"

/**
 * Returns all faults, one readable line each.
 * @param folder the folder `deploy` of a checkout.
 */
export function checkDeploy(folder: string): string[] {
  const dockerfile = join(folder, "Dockerfile")
  const checks: Readonly<Record<string, () => string[]>> = {
    Dockerfile: () => checkDockerfile(dockerfile),
    compose: () => checkCompose(join(folder, "compose"), portOf(dockerfile)),
    systemd: () => checkUnit(join(folder, "systemd", "tollgate.service")),
    prometheus: () => checkAlerts(join(folder, "prometheus", "alerts.yaml")),
    grafana: () => checkDashboard(join(folder, "grafana", "tollgate.json")),
    helm: () => checkChart(join(folder, "helm", "tollgate"), portOf(dockerfile)),
  }
  return Object.entries(checks).flatMap(([name, check]) =>
    attempt(check).map((fault) => `deploy/${name}: ${fault}`),
  )
}

/** Runs a check. A file that cannot be read is a fault as well. */
function attempt(check: () => string[]): string[] {
  try {
    return check()
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
