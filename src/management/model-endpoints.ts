import { isOperationKind, MODEL_KINDS } from "#contract/model-kinds.ts"
import type { Model } from "../catalog/model.ts"
import { vendors } from "../vendors/index.ts"

/**
 * Returns the endpoints of a model by the vendors' tables, like `docs/reference/vendors.md` for each vendor.
 * @param vendorOf returns the vendor of a provider.
 */
export function endpointsOf(
  model: Model,
  vendorOf: (provider: string) => string | undefined,
): string[] {
  const { kind, deployments } = model
  const isServed =
    !isOperationKind(kind) ||
    deployments.some(({ provider }) => vendors.get(vendorOf(provider) ?? "")?.operations?.[kind])
  return isServed ? [...MODEL_KINDS[kind].endpoints] : []
}
