"""What a bucket refuses, as errors that say who must act.

A store's own text is never quoted: it may hold a signed address. Only its status and its code are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from component.errors import Place, RetryError, TablemillError, UserError
from component.staging.buckets import Bucket

EXPIRED_CODES: Final = frozenset({"ExpiredToken", "RequestExpired", "TokenRefreshRequired"})
REFUSED_CODES: Final = frozenset({"InvalidToken", "InvalidAccessKeyId", "AuthenticationFailed"})
CLOCK_CODES: Final = frozenset({"RequestTimeTooSkewed"})
NO_BUCKET_CODES: Final = frozenset({"NoSuchBucket", "ContainerNotFound", "AccountNotFound"})
ELSEWHERE_CODES: Final = frozenset({"PermanentRedirect", "AuthorizationHeaderMalformed", "TemporaryRedirect"})

_STATUS: Final = re.compile(r"status code: (\d{3})")
_CODE: Final = re.compile(r"<Code>(\w{1,64})</Code>")
_AGAIN: Final = (
    "Run the job again: every job gets new credentials. To read a copy of a data folder, put the table's CSV beside "
    "its manifest."
)


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """What a store answered: the status and the code of its protocol; None where it said none, or nothing at all."""

    status: int | None
    code: str | None

    @classmethod
    def of(cls, error: Exception) -> ServerAnswer:
        """Find the answer in an error of the client."""
        text = str(error)
        status, code = _STATUS.search(text), _CODE.search(text)
        return cls(int(status[1]) if status else None, code[1] if code else None)

    def __str__(self) -> str:
        if self.status is None:
            return "the store does not answer"
        return f"the store answers {self.status}" + (f" {self.code}" if self.code else "")


def fault_of(error: Exception, bucket: Bucket, key: str, place: Place) -> TablemillError:
    """Return the error to raise for what the client raised while an object was read."""
    answer = ServerAnswer.of(error)
    if answer.code in NO_BUCKET_CODES:
        return _missing(f"The bucket of {bucket.url(key)} does not exist", place)
    if answer.status == 404:
        return _missing(f"{bucket.url(key)} is not there", place)
    if answer.status == 412:
        return changed(bucket, key, place, "has changed since the run was planned")
    if answer.code in ELSEWHERE_CODES or answer.status in {301, 307, 308}:
        return UserError(
            "staged.failed",
            f"{bucket.url(key)} is not where its manifest says: {answer}",
            place=place,
            remedy="Check the region, and AWS_ENDPOINT_URL_S3 where S3 is not Amazon's.",
        )
    return _refused(answer, bucket, key, place) or RetryError(
        "staged.failed",
        f"{bucket.url(key)} cannot be read: {answer}",
        place=place,
        remedy="Run the job again; if it fails again, check the network between this machine and the store.",
    )


def _refused(answer: ServerAnswer, bucket: Bucket, key: str, place: Place) -> UserError | None:
    if answer.code in EXPIRED_CODES or (answer.status in {401, 403} and bucket.expired()):
        return expired(bucket, key, place)
    if answer.code in CLOCK_CODES:
        text = f"The credentials for {bucket.url(key)} are refused: this machine's clock is wrong"
        return UserError("staged.credentials", text, place=place, remedy="Set the clock.")
    if answer.code not in REFUSED_CODES and answer.status not in {401, 403}:
        return None
    hint = " S3 says the same of objects that are not there." if answer.code == "AccessDenied" else ""
    return UserError(
        "staged.credentials",
        f"The credentials for {bucket.url(key)} are refused: {answer}",
        place=place,
        remedy=_AGAIN + hint,
    )


def expired(bucket: Bucket, key: str, place: Place) -> UserError:
    """Return the error for credentials that are too old."""
    return UserError(
        "staged.credentials", f"The credentials for {bucket.url(key)} have expired", place=place, remedy=_AGAIN
    )


def _missing(text: str, place: Place) -> UserError:
    remedy = "Run the job again: the platform deletes what it staged for a job after some time."
    return UserError("staged.missing", text, place=place, remedy=remedy)


def changed(bucket: Bucket, key: str, place: Place, what: str) -> RetryError:
    """Return the error for an object that is not the one that was announced; `what` goes on with a verb."""
    return RetryError("staged.changed", f"{bucket.url(key)} {what}", place=place, remedy="Run the job again.")
