import { Alert, Button, Group, Text } from "@mantine/core"
import { IconAlertCircle } from "../../ui/icons.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { adviceFor, type CallFailure } from "./call-failure.ts"
import { t } from "../../languages/text.ts"

export interface FailureNoticeProperties {
  readonly failure: CallFailure
  readonly onRetry?: (() => void) | undefined
}

/** Replaces a failed response with the reason and the next step. */
export function FailureNotice({ failure, onRetry }: FailureNoticeProperties) {
  const advice = adviceFor(failure)
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertCircle />}
      title={titleOf(failure)}
      role="alert"
    >
      <Text size="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
        {failure.message}
      </Text>
      {advice?.text !== undefined && (
        <Text size="sm" mt={4}>
          {advice.text}
        </Text>
      )}
      <Group gap="xs" mt="xs">
        {advice?.link !== undefined && (
          <LinkButton to={advice.link.to} size="compact-sm" variant="filled">
            {advice.link.label}
          </LinkButton>
        )}
        {onRetry !== undefined && (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            {t("Try again")}
          </Button>
        )}
        <Text size="xs" c="dimmed" ff="monospace" className="anywhere">
          {[failure.kind, failure.parameter, failure.requestId].filter(Boolean).join(" · ")}
        </Text>
      </Group>
    </Alert>
  )
}

function titleOf({ status, kind }: CallFailure): string {
  if (kind === "offline" || kind === "unreachable") return t("The gateway is not responding")
  if (kind === "broken_off") return t("The response was cut off")
  if (status === 402) return t("Not enough credits")
  if (status === 429) return t("Too many requests")
  if (status === 401 || status === 403) return t("Not allowed")
  if (status >= 500 || status === 200) return t("The model did not respond")
  return t("The request was rejected")
}
