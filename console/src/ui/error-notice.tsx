import { Alert, Button, Group, Text } from "@mantine/core"
import { IconAlertCircle } from "./icons.tsx"
import { ApiError, isOutcomeUnknown, messageOf } from "../api/api-error.ts"
import { t } from "../languages/text.ts"

export interface ErrorNoticeProperties {
  readonly error: unknown
  readonly title?: string
  /** The title if the outcome is unknown: "We do not know whether it was entered". */
  readonly unknownTitle?: string
  readonly retry?: () => void
}

/**
 * Shows an error with the API's message and a retry button. Renders nothing if there is no error.
 */
export function ErrorNotice({ error, title, unknownTitle, retry }: ErrorNoticeProperties) {
  if (error === null || error === undefined) return null
  const isUnknown = unknownTitle !== undefined && isOutcomeUnknown(error)
  // The reader reports the request id to an operator. Errors that the reader can fix need no id.
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertCircle />}
      title={(isUnknown ? unknownTitle : title) ?? t("Something went wrong")}
      role="alert"
    >
      <Text size="sm">
        {messageOf(error)}
        {isUnknown && <> {t("It is safe to try again: it will not be done twice.")}</>}
      </Text>
      <Group gap="sm" mt={retry === undefined && requestId === null ? 0 : "xs"}>
        {retry !== undefined && (
          <Button size="compact-sm" variant="default" onClick={retry}>
            {t("Try again")}
          </Button>
        )}
        {requestId !== null && (
          <Text size="xs" c="dimmed" ff="monospace">
            {requestId}
          </Text>
        )}
      </Group>
    </Alert>
  )
}
