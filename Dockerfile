ARG BASE=python:3.11-slim-bookworm
FROM ${BASE}
# ca-certificates: the vendors' SDKs trust the system's store.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 assay
WORKDIR /app
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 ASSAY_DATA_DIR=/data
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY manage.py ./
COPY config config
COPY audits audits
COPY review review
COPY templates templates
COPY static static
COPY locale locale
RUN mkdir /data && chown assay /data
USER 10001
VOLUME /data
EXPOSE 8000
CMD ["python", "manage.py", "web", "--host", "0.0.0.0"]
