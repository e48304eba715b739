import { lazyRouteComponent } from "@tanstack/react-router"
import { type ComponentType, lazy } from "react"
import { t } from "../languages/text.ts"

/**
 * Thrown if a module of the console could not be loaded, because the gateway is unreachable or serves another version.
 */
export class PageNotLoaded extends Error {
  override readonly name = "PageNotLoaded"
}

type Pages = Record<string, () => React.JSX.Element>

/**
 * Loads a page when it is first opened. If loading fails, the page shows the error. The router's default is a full
 * reload, which would leave the console while the gateway is unreachable.
 */
export function lazyPage<Module extends Pages>(
  load: () => Promise<Module>,
  name: keyof Module & string,
) {
  return lazyRouteComponent(() => loaded(load), name)
}

/** Loads a part of a page on first use. If loading fails, the whole page counts as not loaded. */
export function lazyPart<Properties extends object>(
  load: () => Promise<ComponentType<Properties>>,
) {
  return lazy(async () => ({ default: await loaded(load) }))
}

async function loaded<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new PageNotLoaded(t("This page could not be loaded"), { cause })
  }
}
