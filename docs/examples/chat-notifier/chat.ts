// Posts messages to the chat, through an incoming webhook that accepts `{ "text": … }`, as most chats do.

/** Rejects unless the chat answers with a 2xx status. The address is a secret, so no error message contains it. */
export async function post(webhook: string, text: string, eventId: string, signal: AbortSignal): Promise<void> {
  if (!URL.canParse(webhook)) throw new Error('the setting "chat-notifier.webhook" is no URL');
  const { ok, status } = await fetch(webhook, {
    method: 'POST',
    // A server that ends after posting and before storing posts again; the key lets the chat drop the duplicate.
    headers: { 'content-type': 'application/json', 'idempotency-key': eventId },
    body: JSON.stringify({ text }),
    redirect: 'error',
    signal,
  });
  if (!ok) throw new Error(`the chat answered ${status}`);
}
