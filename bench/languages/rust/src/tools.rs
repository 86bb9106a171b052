//! The tools that leave the process: `cart` reads a hash of Redis, `product` asks an HTTP service.

use std::{collections::BTreeMap, env};

use redis::{AsyncCommands, aio::MultiplexedConnection};

use crate::Failure;

#[derive(Clone)]
pub struct Tools {
    redis: MultiplexedConnection,
    http: reqwest::Client,
    catalogue: String,
}

impl Tools {
    /// Connects to `REDIS_URL` and `CATALOGUE_URL`.
    pub async fn connect() -> Result<Self, Failure> {
        let client = redis::Client::open(env::var("REDIS_URL")?)?;
        Ok(Self {
            redis: client.get_multiplexed_async_connection().await?,
            http: reqwest::Client::builder().tcp_nodelay(true).build()?,
            catalogue: env::var("CATALOGUE_URL")?,
        })
    }

    pub async fn cart(&self, user: &str) -> Result<String, Failure> {
        let mut redis = self.redis.clone();
        let cart: BTreeMap<String, String> = redis.hgetall(format!("cart:{user}")).await?;
        Ok(serde_json::to_string(&cart)?)
    }

    pub async fn product(&self, id: &str) -> Result<String, Failure> {
        let answer = self.http.get(format!("{}/products/{id}", self.catalogue)).send().await?.error_for_status()?;
        Ok(answer.text().await?)
    }
}
