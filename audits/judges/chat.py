"""What judges behind a chat API share: one call, sent again without what the model refuses."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, cast

import httpx2

from audits.judges.base import Fault, JudgeError, JudgeSpec, Prompt, Reply, Task
from audits.judges.options import Options
from audits.judges.prompting import build_prompt
from audits.judges.wire import Answered, BadRequest, exchange

MAX_FORMS = 8  # a refused request is rebuilt at most this often in one call


class ChatJudge(ABC):
    """One model at one address. Remembers what parameters it refuses; holds nothing else between calls.

    The client is opened inside the running loop by the first call and belongs to that loop.
    """

    path: str  # below the base URL
    stream_cls: Any  # the SDK's own, which it asks for

    def __init__(self, spec: JudgeSpec, options: Options) -> None:
        self.spec = spec
        self._options = options
        self._answered = False
        self._client: Any = None  # of the vendor's SDK

    async def complete(self, task: Task, *, prompt: Prompt | None = None, max_tokens: int | None = None) -> Reply:
        """Ask once. A request that the model refuses for a parameter's sake is sent again without that parameter."""
        prompt = prompt or build_prompt(task)
        for _ in range(MAX_FORMS):
            sent = self._options.choice()
            try:
                answered = await exchange(
                    self._post, self._body(prompt, max_tokens or self.spec.max_tokens), self.spec
                )
            except BadRequest as bad:
                complaint = bad
            else:
                self._answered = True
                return self._reply(answered)
            if not self._options.learn(sent, complaint.param, complaint.text):
                break
        error = complaint.error
        if (
            self._answered
        ):  # it takes requests like this one, so the fault lies in this one and must not stop the judge
            error.fault = Fault.SERVER
        raise error

    async def close(self) -> None:
        """Release connections; a later call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _post(self, body: dict[str, Any]) -> httpx2.Response:
        """Send one request through the SDK and give the response with its body unread."""
        if self._client is None:
            self._client = self._new_client()
        response = await self._client.post(
            self.path,
            cast_to=httpx2.Response,
            body=body,
            stream=True,  # only leaves the response's body unread; the request asks for no stream
            stream_cls=self.stream_cls,
        )
        return cast(httpx2.Response, response)

    @abstractmethod
    def _new_client(self) -> Any:
        """The vendor's SDK client, for this address and key."""

    @abstractmethod
    def _body(self, prompt: Prompt, max_tokens: int) -> dict[str, Any]:
        """The request's JSON body."""

    @abstractmethod
    def _reply(self, answered: Answered) -> Reply:
        """Read the vendor's form of an answer. Raises JudgeError when it holds none."""


def refuse_reserved(spec: JudgeSpec, reserved: Iterable[str]) -> None:
    """Raise JudgeError (CONFIG) when a judge's parameters would replace what the request itself is made of."""
    taken = sorted(set(reserved) & set(spec.params))
    if taken:
        raise JudgeError(Fault.CONFIG, f"These parameters cannot be set: {', '.join(taken)}.")
