import { Alert } from "@mantine/core"
import type { ReactNode } from "react"
import { ApiError } from "../api/api-error.ts"
import { TextLink } from "../ui/link-button.tsx"
import { t } from "../languages/text.ts"

/** Returns the gateway's rejection of a link. Returns undefined for an outage, because the link may still be valid. */
export function rejectionOf(error: unknown): ApiError | undefined {
  if (!(error instanceof ApiError)) return undefined
  return error.status === 403 || error.status === 409 ? error : undefined
}

interface LinkNoticeProperties {
  readonly title: string
  readonly children: ReactNode
}

/** Replaces the form of an invalid link with the reason and a link to the sign-in. */
export function LinkNotice({ title, children }: LinkNoticeProperties) {
  return (
    <>
      <Alert variant="light" title={title}>
        {children}
      </Alert>
      <TextLink to="/sign-in" size="sm">
        {t("Go to sign-in")}
      </TextLink>
    </>
  )
}
