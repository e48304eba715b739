import type { DialectId } from "../../src/canon/extra.ts"
import type { ProviderSettings } from "../../src/config/settings.ts"
import { vendors } from "../../src/vendors/index.ts"
import type { Vendor } from "../../src/vendors/vendor.ts"

/** Returns a vendor from the table of vendors. */
export function vendorOf(id: string): Vendor {
  const vendor = vendors.get(id)
  if (!vendor) throw new Error(`there is no vendor ${id}`)
  return vendor
}

/** Returns a provider of a vendor, with additional settings. */
export function providerOf(vendor: string, more: Partial<ProviderSettings> = {}): ProviderSettings {
  return { vendor, headers: {}, knownModels: true, origin: "file", ...more }
}

/** Returns the address at which a provider is called. */
export function urlOf(
  provider: ProviderSettings,
  dialect: DialectId,
  model: string,
  stream = false,
): string {
  const vendor = vendorOf(provider.vendor)
  const found = vendor.chat.find((offer) => offer.dialect.id === dialect)
  if (!found) throw new Error(`${vendor.id} does not speak ${dialect}`)
  return `${vendor.baseUrlOf(provider) ?? ""}${found.path(model, stream)}`
}

/** A request for tests that sign any request. */
export const ANY_REQUEST = { url: "https://vendor.test/v1", body: "{}" }
