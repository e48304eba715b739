import type { Catalog } from "../../catalog/catalog.ts"
import type { Settings } from "../../config/settings.ts"
import { multiplierOf } from "../model-documents.ts"
import { priceDocument } from "../price-document.ts"
import { columnsOf, type ExportedTable } from "./exported-table.ts"

const COLUMNS =
  "id kind owned_by context max_output price price_tiers price_images price_modes price_periods multiplier deployments"

/** Returns the table of models and prices. */
export function modelTable(settings: Settings, catalog: Catalog): ExportedTable {
  return {
    name: "models",
    columns: columnsOf(COLUMNS),
    rows: () =>
      catalog.list().map((model) => ({
        id: model.id,
        kind: model.kind,
        owned_by: model.ownedBy,
        context: model.context ?? null,
        max_output: model.maxOutput ?? null,
        ...priceDocument(model),
        multiplier: multiplierOf(settings, model.id),
        deployments: model.deployments.map(({ provider, upstreamModel, weight }) => ({
          provider,
          model: upstreamModel,
          weight,
        })),
      })),
  }
}
