import { lazyRouteComponent } from "@tanstack/react-router"
import { type ComponentType, lazy } from "react"

/** A part of the console could not be fetched: the gateway is away, or another version of it has other parts. */
export class PageNotLoaded extends Error {
  override readonly name = "PageNotLoaded"
}

type Pages = Record<string, () => React.JSX.Element>

/**
 * A page that is fetched when it is first looked at. Where that fails the page says so: the router alone would load
 * everything again, which leads out of the console while the gateway is away.
 */
export function lazyPage<Module extends Pages>(
  load: () => Promise<Module>,
  name: keyof Module & string,
) {
  return lazyRouteComponent(() => loaded(load), name)
}

/** A part of a page that is fetched when it is first needed; where that fails, its page could not be loaded. */
export function lazyPart<Properties extends object>(
  load: () => Promise<ComponentType<Properties>>,
) {
  return lazy(async () => ({ default: await loaded(load) }))
}

async function loaded<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch (cause) {
    throw new PageNotLoaded("This page could not be loaded", { cause })
  }
}
