import { Container, Loader, Stack } from "@mantine/core"
import type { ErrorComponentProps } from "@tanstack/react-router"
import { unreachable } from "../api/api-error.ts"
import { ErrorNotice } from "../ui/error-notice.tsx"
import { LinkButton } from "../ui/link-button.tsx"
import { PageNotLoaded } from "./lazy-page.ts"
import { PublicPage } from "./public-page.tsx"
import { useLoadAgain } from "./use-load-again.ts"
import { t } from "../languages/text.ts"

/** Replaces a page that failed to render. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const isNotLoaded = error instanceof PageNotLoaded
  useLoadAgain(isNotLoaded)
  if (isNotLoaded) {
    return (
      <Container size="sm" py="xl">
        <ErrorNotice
          error={unreachable()}
          title={t("This page could not be loaded")}
          retry={() => window.location.reload()}
        />
      </Container>
    )
  }
  return (
    <Container size="sm" py="xl">
      <ErrorNotice error={error} title={t("This page could not be shown")} retry={reset} />
    </Container>
  )
}

/** Shown at URLs without a page. */
export function PageNotFound() {
  return (
    <PublicPage
      title={t("There is no such page")}
      description={t("The URL may be mistyped or come from an older version.")}
    >
      <LinkButton to="/">{t("Go to the overview")}</LinkButton>
    </PublicPage>
  )
}

/** Shown while a page loads. */
export function PagePending() {
  return (
    <Stack align="center" py="xl">
      <Loader size="sm" aria-label={t("Loading")} />
    </Stack>
  )
}
