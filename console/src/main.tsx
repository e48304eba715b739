import "./styles.ts"
import { MantineProvider } from "@mantine/core"
import type { NotificationsProps } from "@mantine/notifications"
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { type ComponentType, lazy, StrictMode, Suspense } from "react"
import { createRoot } from "react-dom/client"
import { queryClient } from "./api/queries.ts"
import { CONSOLE_PATH } from "./base-path.ts"
import { currentLanguage } from "./languages/text.ts"
import { applyColorScheme } from "./layout/color-scheme.ts"
import { printInLightColors } from "./layout/print-colors.ts"
import { returnFocusAfterDialogs } from "./layout/return-focus.ts"
import { router } from "./router.tsx"
import { cssVariables, theme } from "./theme.ts"

type Notifications = ComponentType<NotificationsProps>

// If this module cannot be loaded, the console works without notifications instead of showing a
// blank page.
const Notifications = lazy(() =>
  import("@mantine/notifications").then(
    (module): { default: Notifications } => ({ default: module.Notifications }),
    () => ({ default: () => null }),
  ),
)

// The browser bypassed the proxy. The gateway also serves the console under the path without the proxy's prefix.
const { pathname, search, hash } = window.location
const isElsewhere = !`${pathname}/`.startsWith(CONSOLE_PATH)
if (isElsewhere) {
  const page = pathname.replace(/^\/console\/?/, "")
  window.location.replace(`${CONSOLE_PATH}${page}${search}${hash}`)
}

document.documentElement.lang = currentLanguage.tag
applyColorScheme()
returnFocusAfterDialogs()
printInLightColors()
const place = document.getElementById("root")
if (place === null) throw new Error("The page has no root element for the console")
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <RouterProvider router={router} />
        <Suspense>
          <Notifications position="bottom-right" />
        </Suspense>
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
)
