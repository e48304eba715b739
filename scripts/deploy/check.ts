/** Checks that the deployment files are valid, and that they agree with the gateway and with each other. */
import { join } from "node:path"
import { checkChart } from "./chart.ts"
import { checkCompose } from "./compose.ts"
import { checkDockerfile, portOf } from "./dockerfile.ts"
import { checkAlerts, checkDashboard } from "./monitoring.ts"
import { checkUnit } from "./unit.ts"

/** The deployments that are checked. */
export type Deployment = "Dockerfile" | "compose" | "systemd" | "prometheus" | "grafana" | "helm"

/**
 * Returns all faults, one readable line each.
 * @param folder the folder `deploy` of a checkout.
 * @param only the deployment to check; absent: all.
 */
export function checkDeploy(folder: string, only?: Deployment): string[] {
  const dockerfile = join(folder, "Dockerfile")
  const checks: Readonly<Record<Deployment, () => string[]>> = {
    Dockerfile: () => checkDockerfile(dockerfile),
    compose: () => checkCompose(join(folder, "compose"), portOf(dockerfile)),
    systemd: () => checkUnit(join(folder, "systemd", "tollgate.service")),
    prometheus: () => checkAlerts(join(folder, "prometheus", "alerts.yaml")),
    grafana: () => checkDashboard(join(folder, "grafana", "tollgate.json")),
    helm: () => checkChart(join(folder, "helm", "tollgate"), portOf(dockerfile)),
  }
  return Object.entries(checks)
    .filter(([name]) => only === undefined || name === only)
    .flatMap(([name, check]) => attempt(check).map((fault) => `deploy/${name}: ${fault}`))
}

/** Runs a check. A file that cannot be read is a fault as well. */
function attempt(check: () => string[]): string[] {
  try {
    return check()
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}
