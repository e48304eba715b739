import { isOperationKind, MODEL_KINDS } from "#contract/model-kinds.ts"
import type { Model } from "../catalog/model.ts"
import { vendors } from "../vendors/index.ts"

/**
 * Returns the endpoints that a model supports, based on the vendors' tables, as in `docs/reference/vendors.md`.
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
